-- A staging row that names people or an organisation, with keys of the dictionaries. Superseded rows are included and marked.
-- grain: mention_base
-- in: normal.deed_dates, staging.businesses, staging.deed_parties, staging.parcel_owners, staging.past_parcel_owners, staging.past_person_mentions, staging.person_mentions
-- by: record_key
--   normal.deed_dates: document_id
--   staging.deed_parties: document_id
with

dated as (
    select * from normal.deed_dates
),

-- A document number over all counties, for parties files that have no county.
dated_anywhere as (
    select document_id, min(county_fips) as county_fips, max(dated_on) as dated_on from dated
    group by document_id
),

-- A file that was sent twice on one day gives two past rows with one date. The last line of the last file is kept.
past_people as (
    select * from staging.past_person_mentions
    qualify row_number() over (partition by record_key, as_of_on order by file_id desc, line_number desc) = 1
),

past_owners as (
    select * from staging.past_parcel_owners
    qualify row_number() over (partition by record_key, as_of_on order by file_id desc, line_number desc) = 1
),

people as (
    select *, false as is_past from staging.person_mentions
    union all by name
    select *, true as is_past from past_people
),

owners as (
    select *, false as is_past from staging.parcel_owners
    union all by name
    select *, true as is_past from past_owners
),

-- Only mailing lines may begin with the recipient's name, so only they go through mail_line.
named as (
    select
        * replace (coalesce(is_work_address, false) as is_work_address),
        false as numbers_people,
        address_text(line_1, line_2, city, state, zip) as home_text,
        address_text(mail_line(mail_line_1, mail_line_2, mail_line_3), null, mail_city, mail_state, mail_zip) as mail_text,
        coalesce(zip, mail_zip) as any_zip,
        coalesce(state, mail_state) as any_state,
        coalesce(observed_on, as_of_on) as seen_on,
    from people
    union all by name
    select
        *,
        'owner' as mention_kind,
        owner_sequence as party_sequence,
        true as numbers_people,
        address_text(mail_line(mail_line_1, mail_line_2, mail_line_3), null, mail_city, mail_state, mail_zip) as mail_text,
        mail_zip as any_zip,
        mail_state as any_state,
        as_of_on as seen_on,
    from owners
    union all by name
    select
        deed_parties.* replace (coalesce(deed_parties.county_fips, dated_anywhere.county_fips) as county_fips),
        coalesce(role, 'other') as mention_kind,
        false as is_past,
        true as numbers_people,
        address_text(line_1, line_2, city, state, zip) as mail_text,
        zip as any_zip,
        state as any_state,
        coalesce(dated.dated_on, dated_anywhere.dated_on, as_of_on) as seen_on,
    from staging.deed_parties
    left join dated
        on deed_parties.county_fips = dated.county_fips and deed_parties.document_id = dated.document_id
    left join dated_anywhere
        on case when deed_parties.county_fips is null then deed_parties.document_id end = dated_anywhere.document_id
    union all by name
    select
        *,
        business_name as full_name,
        'business' as mention_kind,
        false as is_past,
        true as numbers_people,
        true as is_work_address,
        address_text(coalesce(line_1, ''), line_2, city, state, zip) as home_text,
        zip as any_zip,
        state as any_state,
        coalesce(observed_on, as_of_on) as seen_on,
    from staging.businesses
)

select
    case when is_past then record_key || '@' || coalesce(as_of_on::varchar, '') else record_key end as mention_base,
    record_key,
    source_id,
    file_id,
    line_number,
    mention_kind,
    county_fips,
    parcel_number,
    document_id,
    party_sequence,
    is_past,
    numbers_people,
    text_key(name_text(full_name, name_order, last_name, first_name, middle_name, name_suffix)) as name_key,
    case
        when coalesce(other_last_name, other_first_name) is not null
            then text_key(name_text(
                null, null, coalesce(other_last_name, last_name), coalesce(other_first_name, first_name), null, null
            ))
    end as other_name_key,
    text_key(home_text) as address_text_key,
    is_work_address,
    text_key(mail_text) as mail_text_key,
    left(any_zip, 5) as zip,
    case when length(any_state) = 2 then upper(any_state) end as state,
    birth_date,
    gender,
    text_key(phone_text(phone, phone_extension)) as phone_text_key,
    text_key(email) as email_text_key,
    employer,
    occupation,
    linkedin_url,
    identifier,
    traits,
    seen_on as observed_on,
from named
where coalesce(full_name, last_name, first_name) is not null
