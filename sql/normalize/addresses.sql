-- A normalised address (with its unit), after typos are corrected.
-- grain: address_id
-- in: normal.address_corrections, normal.written_addresses
-- by: building_key
--   normal.address_corrections: canonical_key
--   normal.written_addresses: building_key
--   normal.written_addresses: address_id in address_id of normal.address_corrections
--   normal.address_corrections: address_id in address_id of normal.written_addresses
with

written as (
    select
        *,
        -- Number of characters of line1 that building and unit take after the street.
        coalesce(1 + length(building), 0) + coalesce(1 + length(unit_type), 0) + coalesce(1 + length(unit_number), 0)
            as unit_length,
    from normal.written_addresses
),

corrections as (
    select * from normal.address_corrections
),

-- The unit of a roll's building, when every record that names the unit has the typo.
made as (
    select
        canonical.* replace (
            corrections.read_as_id as address_id,
            corrections.read_as_key as address_key,
            misspelt.building as building,
            misspelt.unit_type as unit_type,
            misspelt.unit_number as unit_number,
            null as plus4,
            left(canonical.line1, length(canonical.line1) - canonical.unit_length) || right(misspelt.line1, misspelt.unit_length)
                as line1,
            left(canonical.line1, length(canonical.line1) - canonical.unit_length) || right(misspelt.line1, misspelt.unit_length)
                || substr(canonical.full_address, length(canonical.line1) + 1) as full_address
        ),
    from corrections
    inner join written as canonical on corrections.canonical_id = canonical.address_id
    inner join written as misspelt on corrections.address_id = misspelt.address_id
    anti join written as known on corrections.read_as_id = known.address_id
    qualify row_number() over (partition by corrections.read_as_id order by corrections.address_id) = 1
),

-- A building without a ZIP code on the roll gets the one that most corrected records have.
zips as (
    select corrections.canonical_key as building_key, mode(misspelt.zip order by misspelt.zip) as written_zip
    from corrections
    inner join written as misspelt on corrections.address_id = misspelt.address_id
    group by corrections.canonical_key
),

read as (
    select * from written
    anti join corrections using (address_id)
    union all by name
    select * from made
),

completed as (
    select
        read.* replace (
            coalesce(zip, written_zip) as zip,
            case when zip is null then concat_ws(' ', full_address, written_zip) else full_address end as full_address
        ),
    from read
    left join zips using (building_key)
)

select
    address_id,
    address_key,
    hash_of(building_key) as building_number,
    building_key,
    kind,
    house_number,
    pre_directional,
    street_name,
    street_suffix,
    post_directional,
    building,
    unit_type,
    unit_number,
    po_box,
    city,
    state,
    zip,
    plus4,
    line1,
    full_address,
    city_display,
from completed
