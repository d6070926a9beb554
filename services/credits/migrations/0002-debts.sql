-- The few who owe, for the operator.
create index account_in_debt on account (debt_cents desc, uid) where debt_cents > 0;
