-- A recorded deed on one parcel, from whatever tells of it: the recorder, the assessor's sales, a changed owner.
-- grain: county_fips, document_number, parcel_number
-- in: normal.deed_properties, normal.owner_changes, normal.sales, reference.counties, staging.deeds
with

deeds as (
    select * from staging.deeds
    -- The same document in a later file (re-recorded, voided) takes the place of the earlier one.
    qualify row_number() over (
        partition by county_fips, document_id order by as_of_on desc nulls last, record_key desc
    ) = 1
),

recorded as (
    select
        deeds.county_fips,
        document_number(deeds.document_id) as document_number,
        coalesce(properties.parcel_number, '') as parcel_number,
        deeds.document_id,
        properties.property_id,
        coalesce(deeds.event_type, 'deed.other') as event_type,
        deeds.document_text,
        deeds.recorded_on,
        deeds.instrument_on,
        deeds.consideration_usd,
        coalesce(deeds.is_void, false) as is_void,
        coalesce(sales.sale_number, by_number.sale_number) as sale_number,
        coalesce(sales.price_usd, by_number.price_usd) as price_usd,
        coalesce(sales.qualification_code, by_number.qualification_code) as qualification_code,
        coalesce(sales.qualification_text, by_number.qualification_text) as qualification_text,
    from deeds
    left join normal.deed_properties as properties
        on deeds.document_id = properties.document_id and deeds.county_fips = properties.county_fips
    left join normal.sales as sales
        on
            deeds.county_fips = sales.county_fips
            and properties.parcel_number = sales.parcel_number
            and deeds.instrument_number = sales.sale_number
    left join normal.sales as by_number
        on
            deeds.county_fips = by_number.county_fips
            and properties.parcel_number = by_number.parcel_number
            and document_number(deeds.document_id) = by_number.sale_number
),

sold as (
    select
        sales.county_fips,
        sales.sale_number as document_number,
        sales.parcel_number,
        sales.property_id,
        sales.sold_on,
        sales.price_usd,
        sales.qualification_code,
        sales.qualification_text,
    from normal.sales as sales
    anti join recorded using (county_fips, parcel_number, sale_number)
),

-- Where neither recorder nor assessor lists deeds with their parties, a new owner is the news.
silent as (
    select county_fips from reference.counties
    anti join (select distinct county_fips from normal.sales) using (county_fips)
),

-- A county may list its deeds without saying who: then the changed owner and the deed of the same weeks are one event.
recorded_days as (
    select county_fips, parcel_number, recorded_on, document_number
    from recorded
),

changed as (
    select changes.*, reference.counties.state
    from normal.owner_changes as changes
    semi join silent using (county_fips)
    inner join reference.counties using (county_fips)
    where reference.counties.state = 'TX'
),

unlisted as (
    select changed.*
    from changed
    left join recorded_days
        on
            changed.county_fips = recorded_days.county_fips
            and changed.parcel_number = recorded_days.parcel_number
            and recorded_days.recorded_on > changed.past_on - 400
    where recorded_days.document_number is null
)

select
    county_fips,
    document_number,
    parcel_number,
    document_id,
    property_id,
    event_type,
    document_text,
    recorded_on,
    instrument_on,
    consideration_usd,
    is_void,
    price_usd,
    qualification_code,
    qualification_text,
    'recorder' as told_by,
from recorded
union all
select
    county_fips,
    document_number,
    parcel_number,
    null,
    property_id,
    -- 11 is the code of corrective, quit-claim and tax deeds, 12 of those to and from banks.
    case
        when qualification_code = '11' then 'deed.quitclaim'
        when qualification_code = '12' then 'deed.foreclosure'
        else 'deed.transfer'
    end,
    'Sale',
    sold_on,
    null,
    null,
    false,
    price_usd,
    qualification_code,
    qualification_text,
    'assessor',
from sold
union all
select
    county_fips,
    coalesce(deed_number, 'owner-change-' || changed_on::varchar),
    parcel_number,
    null,
    property_id,
    'deed.transfer',
    'Change of owner',
    changed_on,
    deed_on,
    null,
    false,
    null,
    null,
    null,
    'roll',
from unlisted
