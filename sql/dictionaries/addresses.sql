-- An address text of staging. The parcel of a deed without a city takes city, state and ZIP code from the roll.
-- grain: text
-- in: normal.parcel_places, staging.businesses, staging.deed_parcels, staging.deed_parties, staging.parcel_owners, staging.parcels, staging.past_deed_parcels, staging.past_parcel_owners, staging.past_person_mentions, staging.person_mentions
-- by: record_key
--   normal.parcel_places: county_fips
--   staging.deed_parcels: county_fips
--   staging.past_deed_parcels: county_fips
with

mailings as (
    select mail_line_1, mail_line_2, mail_line_3, mail_city, mail_state, mail_zip from staging.parcel_owners
    union all
    select mail_line_1, mail_line_2, mail_line_3, mail_city, mail_state, mail_zip from staging.past_parcel_owners
    union all
    select mail_line_1, mail_line_2, mail_line_3, mail_city, mail_state, mail_zip from staging.person_mentions
    union all
    select mail_line_1, mail_line_2, mail_line_3, mail_city, mail_state, mail_zip from staging.past_person_mentions
),

on_deeds as (
    select county_fips, parcel_number, line_1, line_2, city, state, zip from staging.deed_parcels
    union all
    select county_fips, parcel_number, line_1, line_2, city, state, zip from staging.past_deed_parcels
),

lines as (
    select line_1, line_2, city, state, zip from staging.parcels
    union all
    select line_1, line_2, city, state, zip from staging.person_mentions
    union all
    select line_1, line_2, city, state, zip from staging.past_person_mentions
    union all
    select line_1, line_2, city, state, zip from staging.deed_parties
    union all
    -- For a business, city and ZIP code are enough to give its place.
    select coalesce(line_1, ''), line_2, city, state, zip from staging.businesses
    union all
    select
        line_1,
        line_2,
        coalesce(on_deeds.city, places.city),
        coalesce(on_deeds.state, places.state),
        coalesce(on_deeds.zip, places.zip)
    from on_deeds
    left join normal.parcel_places as places using (county_fips, parcel_number)
    union all
    select mail_line(mail_line_1, mail_line_2, mail_line_3), null, mail_city, mail_state, mail_zip from mailings
)

select distinct address_text(line_1, line_2, city, state, zip) as text
from lines
where text is not null
