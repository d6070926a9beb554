-- Searches did not find a decomposed or full-width text by its usual form, nor the reverse. As FOLDED of platform. Rewrites the
-- table; the version before searches this column too, and finds what it found.
alter table song alter column folded set expression as (normalize(casefold(
  normalize(coalesce(title, '') || chr(31) || lyrics || chr(31) || style, NFKC) collate pg_unicode_fast), NFKC));
-- the order of titles, as people read them: Take 2 stands before Take 10
create collation if not exists by_title (provider = icu, locale = 'und-u-kn');
