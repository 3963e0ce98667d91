-- Somebody who must not come out of any answer, named by what they are told apart by. It stands in the forms in which
-- src/lookup compares and depends on no snapshot, so neither a night nor a warehouse built anew brings anybody back.
create table suppressions (
    suppression_id text primary key,
    kind text not null check (
        kind in ('person', 'phone', 'email', 'address', 'name', 'phone_hash', 'email_hash', 'name_hash')
    ),
    value text not null,
    -- JSON: where a person lived under which name when their id was put here, should the id ever be another's or nobody's.
    marks text not null,
    -- The line of the opt-out list that it came with; null of one that the operator gave.
    work_item_id text,
    created_at text not null
) strict, without rowid;

create unique index suppressions_once on suppressions (kind, value, coalesce(work_item_id, ''));
create index suppressions_by_work_item on suppressions (work_item_id) where work_item_id is not null;

-- By what number servers see that the list has changed.
create table suppression_changes (count integer not null) strict;
insert into suppression_changes (count) values (0);

create trigger suppressions_added after insert on suppressions begin
    update suppression_changes set count = count + 1;
end;

create trigger suppressions_removed after delete on suppressions begin
    update suppression_changes set count = count + 1;
end;
