-- A person in one source record: a voter, provider, official, donor, contact, owner or party of a deed, present or superseded.
-- grain: mention_key
-- in: normal.deed_properties, normal.email_dictionary, normal.named_records, normal.parcels, normal.phone_dictionary, normal.read_addresses, normal.read_names, reference.counties, reference.sources
-- by: mention_base
--   normal.read_names: name_key in unnest([name_key, other_name_key]) of normal.named_records
--   normal.read_addresses: text_key in unnest([address_text_key, mail_text_key]) of normal.named_records
--   normal.parcels: (county_fips, parcel_number) in (county_fips, parcel_number) of normal.named_records
--   normal.deed_properties: (county_fips, document_id) in (county_fips, document_id) of normal.named_records
--   normal.phone_dictionary: text_key in phone_text_key of normal.named_records
--   normal.email_dictionary: text_key in email_text_key of normal.named_records
--   reference.counties: whole
--   reference.sources: whole
with

records as (
    select * from normal.named_records
),

people as (
    select * from normal.read_names
),

other_names as (
    select name_key, first_name, last_name, last_phonetic from normal.read_names
    where person_sequence = 1
),

addressed as (
    select * from normal.read_addresses
),

roll as (
    select county_fips, parcel_number, property_id, address_id from normal.parcels
),

-- For a deed over several parcels, the first parcel is used. It is enough to compare the parties with owners.
deeded as (
    select
        county_fips,
        document_id,
        min(parcel_number) as parcel_number,
        arg_min(property_id, parcel_number) as property_id,
        arg_min(address_id, parcel_number) as address_id,
    from normal.deed_properties
    group by county_fips, document_id
),

counties as (
    select county_fips, state from reference.counties
),

weighted as (
    select source_id, weight from reference.sources
),

mentioned as (
    select
        case
            when records.numbers_people then records.mention_base || '#' || people.person_sequence
            else records.mention_base
        end as mention_key,
        text_key(records.mention_base) as mention_hash,
        records.* exclude (mention_base, numbers_people, birth_date),
        people.first_name,
        people.middle_name,
        people.last_name,
        people.name_suffix,
        people.display_name,
        people.nickname_class,
        people.first_phonetic,
        people.last_phonetic,
        people.person_sequence,
        -- County files write 1900-01-01 and similar dates for unknown birth dates.
        case
            when regexp_full_match(records.birth_date, '(19|20)\d\d-\d\d-\d\d')
                and records.birth_date <= strftime(coalesce(records.observed_on, date '2100-01-01'), '%Y-%m-%d')
                and records.birth_date not in ('1900-01-01', '1901-01-01', '1900-00-00')
                then records.birth_date
        end as birth_date,
    from records
    inner join people on records.name_key = people.name_key
    where records.numbers_people or people.person_sequence = 1
)

select
    mentioned.mention_key,
    -- Orders mentions: a cluster takes its person id from its first mention by (mention_hash, person_sequence).
    mentioned.mention_hash,
    mentioned.record_key,
    mentioned.source_id,
    mentioned.file_id,
    mentioned.line_number,
    mentioned.mention_kind,
    mentioned.county_fips,
    mentioned.is_past,
    mentioned.person_sequence,
    mentioned.first_name,
    mentioned.middle_name,
    mentioned.last_name,
    mentioned.name_suffix,
    mentioned.display_name,
    mentioned.nickname_class,
    mentioned.first_phonetic,
    mentioned.last_phonetic,
    other_names.first_name as other_first_name,
    other_names.last_name as other_last_name,
    other_names.last_phonetic as other_last_phonetic,
    mentioned.birth_date,
    coalesce(try_cast(replace(mentioned.birth_date, '-', '') as integer), 0) as birth_number,
    upper(mentioned.gender) as gender,
    coalesce(roll.property_id, deeded.property_id) as property_id,
    -- The unit of a condominium may be on deeds but not on the roll.
    coalesce(mentioned.parcel_number, deeded.parcel_number) as parcel_number,
    coalesce(roll.address_id, deeded.address_id) as situs_address_id,
    home.address_id,
    mentioned.zip,
    coalesce(mentioned.state, counties.state) as state,
    mentioned.is_work_address,
    mailing.address_id as mail_address_id,
    phones.phone,
    emails.email,
    nullif(upper(trim(mentioned.employer)), '') as employer_key,
    mentioned.employer,
    mentioned.occupation,
    mentioned.linkedin_url,
    mentioned.identifier,
    mentioned.traits,
    mentioned.document_id,
    mentioned.party_sequence,
    mentioned.observed_on,
    coalesce(weighted.weight, 0.5)::double as source_weight,
from mentioned
left join other_names on mentioned.other_name_key = other_names.name_key
left join roll on mentioned.county_fips = roll.county_fips and mentioned.parcel_number = roll.parcel_number
left join deeded on mentioned.county_fips = deeded.county_fips and mentioned.document_id = deeded.document_id
left join addressed as home on mentioned.address_text_key = home.text_key
left join addressed as mailing on mentioned.mail_text_key = mailing.text_key
left join normal.phone_dictionary as phones on mentioned.phone_text_key = phones.text_key
left join normal.email_dictionary as emails on mentioned.email_text_key = emails.text_key
left join counties on mentioned.county_fips = counties.county_fips
left join weighted on mentioned.source_id = weighted.source_id
