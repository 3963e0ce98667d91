-- An organisation in one source record as the record has it: its name, address and state.
-- grain: mention_base
-- in: normal.addresses, normal.name_dictionary, normal.named_records, normal.parcels, normal.phone_dictionary, normal.read_addresses, reference.counties
-- by: mention_base
--   normal.name_dictionary: name_key in name_key of normal.named_records
--   normal.read_addresses: text_key in unnest([address_text_key, mail_text_key]) of normal.named_records
--   normal.addresses: address_id in address_id of normal.read_addresses
--   normal.parcels: (county_fips, parcel_number) in (county_fips, parcel_number) of normal.named_records
--   normal.phone_dictionary: text_key in phone_text_key of normal.named_records
--   reference.counties: whole
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
)

select
    keyed.mention_base,
    keyed.organisation_key,
    coalesce(counties.state, situated.state, keyed.state, '') as business_state,
    situated.building_key,
    -- A state registers the name of a company only once, whatever its legal form. Trusts, estates and churches
    -- are not registered.
    coalesce(keyed.kind in ('llc', 'corporation', 'partnership', 'bank', 'government'), false) as is_registered,
    keyed.record_key,
    keyed.source_id,
    keyed.mention_kind,
    keyed.county_fips,
    keyed.is_past,
    keyed.kind,
    keyed.organisation,
    keyed.address_id,
    roll.property_id,
    keyed.document_id,
    keyed.party_sequence,
    phones.phone,
    keyed.identifier,
    keyed.observed_on,
from keyed
left join situated on keyed.address_id = situated.address_id
left join counties on keyed.county_fips = counties.county_fips
left join roll on keyed.county_fips = roll.county_fips and keyed.parcel_number = roll.parcel_number
left join normal.phone_dictionary as phones on keyed.phone_text_key = phones.text_key
