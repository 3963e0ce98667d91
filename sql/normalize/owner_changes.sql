-- A parcel whose owners differ from the roll before. It is evidence of a deed where the county publishes no deeds with names.
-- grain: county_fips, parcel_number
-- in: normal.named_records, normal.parcels, staging.parcel_owners, staging.past_parcel_owners
-- by: county_fips
with

fields as (
    select county_fips, parcel_number, name_key, is_past, observed_on
    from normal.named_records
    where mention_kind = 'owner' and parcel_number is not null
),

deeds as (
    select
        county_fips,
        parcel_number,
        max(deed_on) as deed_on,
        arg_max(deed_number, (deed_on, record_key)) as deed_number,
        max(as_of_on) as as_of_on,
        arg_max(
            {'source_id': source_id, 'file_id': file_id, 'line_number': line_number},
            (as_of_on, file_id, line_number)
        ) as reported,
    from staging.parcel_owners
    group by county_fips, parcel_number
),

past_deeds as (
    select county_fips, parcel_number, as_of_on as past_on, max(deed_on) as deed_on, max(deed_number) as deed_number
    from staging.past_parcel_owners
    group by county_fips, parcel_number, as_of_on
),

-- Only the last change counts, because earlier ones were published by earlier runs.
last_past as (
    select county_fips, parcel_number, max(observed_on) as past_on
    from fields
    where is_past
    group by county_fips, parcel_number
),

changed as (
    select distinct fields.county_fips, fields.parcel_number, last_past.past_on
    from fields
    inner join last_past using (county_fips, parcel_number)
    anti join (select * from fields where not is_past) as owning using (county_fips, parcel_number, name_key)
    where fields.is_past and fields.observed_on = last_past.past_on
)

select
    changed.county_fips,
    changed.parcel_number,
    parcels.property_id,
    changed.past_on,
    coalesce(deeds.deed_on, parcels.deed_on) as deed_on,
    coalesce(deeds.deed_number, parcels.deed_number) as deed_number,
    coalesce(deeds.deed_on, parcels.deed_on, deeds.as_of_on) as changed_on,
    -- Without a deed date, the date is the day of the roll, which is after the recording.
    case when coalesce(deeds.deed_on, parcels.deed_on) is null then 'roll' else 'day' end as changed_on_precision,
    deeds.reported.source_id as source_id,
    deeds.reported.file_id as file_id,
    deeds.reported.line_number as line_number,
from changed
inner join deeds using (county_fips, parcel_number)
inner join normal.parcels as parcels using (county_fips, parcel_number)
left join past_deeds using (county_fips, parcel_number, past_on)
-- The same deed with another spelling of the owner is not a change.
where deeds.deed_on is distinct from past_deeds.deed_on
    or deeds.deed_number is distinct from past_deeds.deed_number
    or (deeds.deed_on is null and deeds.deed_number is null)
