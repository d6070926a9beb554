-- Room on the page for the next state of a song: a charge that is recorded touches no index.
alter table song set (fillfactor = 60);
