-- An organisation in one source record: a business, an owner or a party of a deed, present or superseded.
-- grain: mention_base
-- in: normal.organisation_records
-- by: organisation_key
with

records as (
    select * from normal.organisation_records
),

-- For each name in a state: whether an organisation with this name is registered, and its building when there is
-- only one.
names as (
    select
        organisation_key,
        business_state,
        bool_or(is_registered) as is_registered,
        case when count(distinct building_key) = 1 then min(building_key) end as only_building_key,
    from records
    group by organisation_key, business_state
)

select
    records.mention_base,
    derived_id(
        'B',
        records.organisation_key || '|' || records.business_state || case
            when records.is_registered then ''
            -- 'ACME HOLDINGS' is the registered 'ACME HOLDINGS LLC' of its state.
            when names.is_registered and records.kind not in ('trust', 'estate') then ''
            else coalesce('|' || coalesce(records.building_key, names.only_building_key), '')
        end
    ) as business_id,
    records.record_key,
    records.source_id,
    records.mention_kind,
    records.county_fips,
    records.is_past,
    records.kind,
    records.organisation,
    records.organisation_key,
    records.address_id,
    records.property_id,
    records.document_id,
    records.party_sequence,
    records.phone,
    records.identifier,
    records.observed_on,
from records
inner join names using (organisation_key, business_state)
