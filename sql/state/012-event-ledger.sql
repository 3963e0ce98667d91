-- The expected contents of the event ledger. A difference shows that the ledger was emptied; then all events count as old.
create table event_ledger (
    id integer primary key check (id = 1),
    -- Number of rows that known_events should have. Platbook counts them again after it adds or deletes rows.
    known_count integer not null,
    -- YYYY-MM-DD. Events recorded before this date are deleted from known_events and never released.
    forgotten_before text not null
) strict;

-- A file with releases but without known events: the ledger was emptied before this migration.
insert into event_ledger (id, known_count, forgotten_before)
select
    1,
    case
        when exists (select 1 from known_events) then (select count(*) from known_events)
        when exists (select 1 from event_releases where event_count + history_count > 0) then 1
        else 0
    end,
    '';
