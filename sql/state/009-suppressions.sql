-- A person who must not appear in any response. `value` identifies the person in the form that src/lookup compares. It depends
-- on no snapshot, so neither a nightly run nor a rebuilt warehouse makes a suppressed person visible again.
create table suppressions (
    suppression_id text primary key,
    kind text not null check (
        kind in ('person', 'phone', 'email', 'address', 'name', 'phone_hash', 'email_hash', 'name_hash')
    ),
    value text not null,
    -- JSON: names, addresses and birth dates of the person when the id was suppressed. They find the person if the id changes.
    marks text not null,
    -- The line of the opt-out list; null for an entry of the operator.
    work_item_id text,
    created_at text not null
) strict, without rowid;

create unique index suppressions_once on suppressions (kind, value, coalesce(work_item_id, ''));
create index suppressions_by_work_item on suppressions (work_item_id) where work_item_id is not null;

-- A counter of changes, by which servers notice that the list has changed.
create table suppression_changes (count integer not null) strict;
insert into suppression_changes (count) values (0);

create trigger suppressions_added after insert on suppressions begin
    update suppression_changes set count = count + 1;
end;

create trigger suppressions_removed after delete on suppressions begin
    update suppression_changes set count = count + 1;
end;
