-- what it means: a table has less than half of the rows of the last snapshot: a source was removed, or its files were cut off
-- what to do: run `platbook publish --full` if this is intended; otherwise compare the files of the last runs with `platbook sources`
with

counted as (
    select 'people' as table_name, count(*) as row_count from published.people
    union all
    select 'addresses', count(*) from published.addresses
    union all
    select 'properties', count(*) from published.properties
    union all
    select 'person_phones', count(*) from published.person_phones
    union all
    select 'property_owners', count(*) from published.property_owners
    union all
    select 'deed_events', count(*) from published.deed_events
    union all
    select 'crosswalk', count(*) from published.crosswalk
),

last_snapshot as (
    select table_name, row_count from ledger.snapshot_rows
    where published_at = (select max(published_at) from ledger.snapshot_rows)
)

select
    counted.table_name || ' ' || last_snapshot.row_count || ' to ' || counted.row_count as offender,
from counted
inner join last_snapshot using (table_name)
where counted.row_count * 2 < last_snapshot.row_count
