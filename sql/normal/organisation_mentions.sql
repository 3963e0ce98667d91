-- An organisation as one source record names it: a business, an owner, a party of a deed; now or before.
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
    select address_id, state from normal.addresses
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
    -- One name in one state is one organisation; the same name in another state is another.
    derived_id(
        'B', keyed.organisation_key || '|' || coalesce(counties.state, situated.state, '')
    ) as business_id,
    keyed.record_key,
    keyed.source_id,
    keyed.mention_kind,
    keyed.county_fips,
    keyed.is_past,
    keyed.kind,
    keyed.organisation,
    keyed.organisation_key,
    keyed.address_id,
    roll.property_id,
    keyed.document_id,
    keyed.party_sequence,
    phones.phone,
    keyed.identifier,
    keyed.observed_on,
from keyed
left join roll on keyed.county_fips = roll.county_fips and keyed.parcel_number = roll.parcel_number
left join situated on keyed.address_id = situated.address_id
left join counties on keyed.county_fips = counties.county_fips
left join normal.phone_dictionary as phones on keyed.phone_text_key = phones.text_key
