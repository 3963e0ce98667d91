-- An organisation in one source record: a business, an owner or a party of a deed, present or superseded.
-- grain: mention_base
-- in: normal.addresses, normal.name_dictionary, normal.named_records, normal.parcels, normal.phone_dictionary, normal.read_addresses, reference.counties
with

records as (
    select * from normal.named_records
    where mention_kind in ('business', 'owner', 'grantor', 'grantee', 'other')
),

organisations as (
    select
        name_key,
        kind,
        organisation,
        organisation_key,
        string_split(text, chr(31))[2] as raw_name,
    from normal.name_dictionary
),

addressed as (
    select * from normal.read_addresses
),

situated as (
    select address_id, building_key, state from normal.addresses
),

roll as (
    select county_fips, parcel_number, property_id from normal.parcels
),

counties as (
    select county_fips, state from reference.counties
),

keyed as (
    select
        records.*,
        organisations.kind,
        coalesce(organisations.organisation, organisations.raw_name) as organisation,
        coalesce(organisations.organisation_key, upper(trim(organisations.raw_name))) as organisation_key,
        coalesce(home.address_id, mailing.address_id) as address_id,
    from records
    inner join organisations on records.name_key = organisations.name_key
    left join addressed as home on records.address_text_key = home.text_key
    left join addressed as mailing on records.mail_text_key = mailing.text_key
    where organisations.organisation_key is not null or records.mention_kind = 'business'
),

placed as (
    select
        keyed.*,
        coalesce(counties.state, situated.state, keyed.state, '') as business_state,
        situated.building_key,
        -- A state registers the name of a company only once, whatever its legal form. Trusts, estates and churches
        -- are not registered.
        coalesce(keyed.kind in ('llc', 'corporation', 'partnership', 'bank', 'government'), false) as is_registered,
    from keyed
    left join situated on keyed.address_id = situated.address_id
    left join counties on keyed.county_fips = counties.county_fips
),

-- For each name in a state: whether an organisation with this name is registered, and its building when there is
-- only one.
names as (
    select
        organisation_key,
        business_state,
        bool_or(is_registered) as is_registered,
        case when count(distinct building_key) = 1 then min(building_key) end as only_building_key,
    from placed
    group by organisation_key, business_state
)

select
    placed.mention_base,
    derived_id(
        'B',
        placed.organisation_key || '|' || placed.business_state || case
            when placed.is_registered then ''
            -- 'ACME HOLDINGS' is the registered 'ACME HOLDINGS LLC' of its state.
            when names.is_registered and placed.kind not in ('trust', 'estate') then ''
            else coalesce('|' || coalesce(placed.building_key, names.only_building_key), '')
        end
    ) as business_id,
    placed.record_key,
    placed.source_id,
    placed.mention_kind,
    placed.county_fips,
    placed.is_past,
    placed.kind,
    placed.organisation,
    placed.organisation_key,
    placed.address_id,
    roll.property_id,
    placed.document_id,
    placed.party_sequence,
    phones.phone,
    placed.identifier,
    placed.observed_on,
from placed
inner join names using (organisation_key, business_state)
left join roll on placed.county_fips = roll.county_fips and placed.parcel_number = roll.parcel_number
left join normal.phone_dictionary as phones on placed.phone_text_key = phones.text_key
