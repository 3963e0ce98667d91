-- A parcel on the newest roll.
-- grain: property_id
-- in: normal.addresses, normal.organisation_mentions, normal.parcels, normal.person_mentions, published.deed_events, published.property_owners, reference.counties
-- by: property_id
--   normal.person_mentions: property_id, not null
--   normal.organisation_mentions: property_id, not null
--   published.deed_events: property_id, not null
--   normal.addresses: address_id in address_id of normal.parcels
--   normal.addresses: address_id in mail_address_id of normal.person_mentions
--   normal.addresses: address_id in address_id of normal.organisation_mentions
--   reference.counties: whole
with

parcels as (
    select * from normal.parcels
),

-- The mailing address of the first owner.
mailings as (
    select property_id, mail_address_id from normal.person_mentions
    where mention_kind = 'owner' and not is_past and mail_address_id is not null
    qualify row_number() over (partition by property_id order by party_sequence nulls last, mention_key) = 1
),

organisation_mailings as (
    select property_id, address_id as mail_address_id from normal.organisation_mentions
    where mention_kind = 'owner' and not is_past and address_id is not null
    qualify row_number() over (partition by property_id order by party_sequence nulls last, mention_base) = 1
),

mailed as (
    select
        parcels.property_id,
        coalesce(mailings.mail_address_id, organisation_mailings.mail_address_id) as mail_address_id,
    from parcels
    left join mailings using (property_id)
    left join organisation_mailings using (property_id)
),

places as (
    select address_id, building_number, unit_number, kind from normal.addresses
),

compared as (
    select
        mailed.property_id,
        mailed.mail_address_id,
        -- True when the owner's mail goes to the property. A unit that only one side has counts as an omission.
        coalesce(
            situs.address_id = mail.address_id
            or (situs.building_number = mail.building_number and (situs.unit_number is null or mail.unit_number is null)),
            false
        ) as is_same,
        mail.kind = 'po_box' as is_box,
    from mailed
    inner join parcels using (property_id)
    left join places as situs on parcels.address_id = situs.address_id
    left join places as mail on mailed.mail_address_id = mail.address_id
),

owned as (
    select property_id, arg_min(owner_type, owner_sequence) as owner_type, bool_or(person_id is not null) as has_person
    from published.property_owners
    group by property_id
),

sold as (
    select
        property_id,
        max(recorded_date) as sale_date,
        -- Prices up to 1,000 dollars are nominal and left out.
        arg_max(consideration, (recorded_date, event_id)) filter (where consideration > 1000) as last_sale_amount,
    from published.deed_events
    where not is_void and event_type in ('deed.transfer', 'deed.foreclosure')
    group by property_id
),

counties as (
    select county_fips, county_name, state from reference.counties
)

select
    parcels.property_id,
    parcels.county_fips,
    counties.county_name,
    coalesce(counties.state, parcels.state) as state,
    parcels.parcel_number as apn,
    parcels.address_id,
    case when not compared.is_same then compared.mail_address_id end as mailing_address_id,
    parcels.property_purpose,
    case
        when owned.property_id is null then null
        when parcels.is_homestead or (compared.is_same and coalesce(owned.has_person, false)) then 'OwnerOccupied'
        when compared.mail_address_id is null or parcels.address_id is null or compared.is_box then 'Unknown'
        when compared.is_same then 'Unknown'
        else 'AbsenteeOwner'
    end as owner_occupied,
    coalesce(parcels.is_vacant, parcels.property_purpose = 'vacant_land') as is_vacant,
    parcels.latitude,
    parcels.longitude,
    coalesce(owned.owner_type, 'unknown') as owner_type,
    coalesce(sold.sale_date, parcels.deed_on) as sale_date,
    sold.last_sale_amount,
    parcels.legal_description,
    parcels.year_built,
    parcels.effective_year_built,
    parcels.living_sqft,
    parcels.lot_sqft,
    parcels.ground_floor_sqft,
    parcels.basement_sqft,
    parcels.basement_type,
    parcels.garage_type,
    parcels.roof_covering,
    parcels.heating_fuel,
    parcels.condition,
    parcels.build_quality,
    parcels.stories,
    parcels.bedrooms,
    parcels.bathrooms,
    parcels.has_pool,
    parcels.market_value_usd as market_value,
    parcels.assessed_value_usd as assessed_value,
    parcels.tax_usd as property_tax_amount,
    round(100 * parcels.tax_usd / nullif(parcels.market_value_usd, 0), 4) as property_tax_percent,
    parcels.roll_year as assessment_year,
from parcels
left join compared using (property_id)
left join owned using (property_id)
left join sold using (property_id)
left join counties on parcels.county_fips = counties.county_fips
