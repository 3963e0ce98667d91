-- Every address that staging holds; a deed's parcel without city takes city, state and ZIP from the roll.
-- grain: text
-- in: staging.businesses, staging.deed_parcels, staging.deed_parties, staging.parcel_owners, staging.parcels, staging.past_parcel_owners, staging.past_person_mentions, staging.person_mentions
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

rolled as (
    select county_fips, parcel_number, max(city) as city, max(state) as state, max(zip) as zip
    from staging.parcels
    group by county_fips, parcel_number
),

-- New York's rolls list a condominium's billing lot (75nn), deeds its unit lots: the block has the ZIP of both.
blocks as (
    select
        county_fips,
        left(parcel_number, 6) as block,
        max(city) as city,
        case
            when count(distinct zip) filter (where right(parcel_number, 4) >= '7500') = 1
                then min(zip) filter (where right(parcel_number, 4) >= '7500')
            when count(distinct zip) = 1 then min(zip)
        end as zip,
    from staging.parcels
    where state = 'NY' and length(parcel_number) = 10
    group by county_fips, left(parcel_number, 6)
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
    select line_1, line_2, city, state, zip from staging.businesses
    union all
    select
        line_1,
        line_2,
        coalesce(deed_parcels.city, rolled.city, blocks.city),
        coalesce(deed_parcels.state, rolled.state),
        coalesce(deed_parcels.zip, rolled.zip, blocks.zip)
    from staging.deed_parcels
    left join rolled using (county_fips, parcel_number)
    left join blocks
        on deed_parcels.county_fips = blocks.county_fips and left(deed_parcels.parcel_number, 6) = blocks.block
    union all
    select mail_line(mail_line_1, mail_line_2, mail_line_3), null, mail_city, mail_state, mail_zip from mailings
)

select distinct address_text(line_1, line_2, city, state, zip) as text
from lines
where text is not null
