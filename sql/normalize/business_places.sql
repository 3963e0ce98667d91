-- A place of a business: the ZIP code or city of an address whose street cannot be read.
-- grain: business_id, address_id
-- in: normal.address_dictionary, normal.addresses, normal.named_records, normal.organisation_mentions
-- by: business_id
--   normal.named_records: mention_base in mention_base of normal.organisation_mentions
--   normal.address_dictionary: text_key in address_text_key of normal.named_records
--   normal.addresses: address_id in address_id of normal.organisation_mentions
with

mentions as (
    select mention_base, business_id, address_id, observed_on from normal.organisation_mentions
    where mention_kind = 'business'
),

records as (
    select mention_base, address_text_key from normal.named_records
    where mention_kind = 'business'
),

entries as (
    select * from normal.address_dictionary
    where address_id is null and (zip is not null or (city is not null and state is not null))
),

said as (
    select
        mentions.business_id,
        derived_id(
            'A', 'PLACE|' || coalesce(entries.zip || coalesce('-' || entries.plus4, ''), entries.city || '|' || entries.state)
        ) as address_id,
        entries.city,
        entries.city_display,
        entries.state,
        entries.zip,
        entries.plus4,
        mentions.observed_on,
    from mentions
    inner join records on mentions.mention_base = records.mention_base
    inner join entries on records.address_text_key = entries.text_key
    where mentions.address_id is null
),

-- Businesses that have a readable address.
addressed as (
    select distinct mentions.business_id, addresses.zip, addresses.city, addresses.state
    from mentions
    inner join normal.addresses as addresses on mentions.address_id = addresses.address_id
)

select
    said.business_id,
    said.address_id,
    min(said.city_display) as city_display,
    min(said.state) as state,
    min(said.zip) as zip,
    min(said.plus4) as plus4,
    max(said.observed_on) as observed_on,
from said
anti join addressed
    on said.business_id = addressed.business_id
    and case
        when said.zip is null then said.city = addressed.city and said.state = addressed.state
        else said.zip = addressed.zip
    end
group by said.business_id, said.address_id
