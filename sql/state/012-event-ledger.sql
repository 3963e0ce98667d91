-- The counts that the ledger of events should hold, so that a ledger that was emptied is noticed: its events are history then.
create table event_ledger (
    id integer primary key check (id = 1),
    -- Rows of known_events, kept by releases and by pruning.
    known_count integer not null,
    -- YYYY-MM-DD. Events that were recorded before are forgotten, and history for good.
    forgotten_before text not null
) strict;

-- Releases that told or took in events, and no known event: the ledger was emptied before this table came.
insert into event_ledger (id, known_count, forgotten_before)
select
    1,
    max(
        (select count(*) from known_events),
        (select count(*) > 0 from event_releases where event_count + history_count > 0)
    ),
    '';
