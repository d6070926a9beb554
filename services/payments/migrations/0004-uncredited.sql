-- Money that arrived and whose credits did not yet: few, and looked at often.
create index payment_uncredited on payment (created_at) where succeeded and not credited;
