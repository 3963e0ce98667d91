-- Person mentions as input of the linker; src/link/records/record-table.ts describes the columns.
-- grain: record_id
-- in: normal.addresses, normal.person_mentions
-- by: mention_key
--   normal.addresses: address_id in unnest([address_id, mail_address_id, situs_address_id]) of normal.person_mentions
with

mentions as (
    select
        *,
        -- A parcel counts as an address too, because some condominium units have a parcel number but no address of their own.
        case
            when parcel_number is not null
                then {
                    'address_key': 'PARCEL ' || county_fips || ' ' || parcel_number,
                    'building_key': 'PARCEL ' || county_fips || ' ' || parcel_number,
                    'house_number': null::varchar,
                    'street_name': null::varchar,
                    'unit_number': null::varchar,
                    'city': null::varchar,
                    'state': null::varchar,
                    'zip': null::varchar,
                }
        end as parcel_place,
    from normal.person_mentions
),

places as (
    select
        address_id,
        {
            'address_key': address_key,
            'building_key': building_key,
            'house_number': house_number,
            'street_name': concat_ws(' ', pre_directional, street_name, street_suffix, post_directional),
            'unit_number': unit_number,
            'city': city,
            'state': state,
            'zip': zip,
        } as place,
    from normal.addresses
),

records as (
    select
        mentions.mention_key as record_id,
        mentions.source_id,
        mentions.first_name,
        mentions.middle_name,
        mentions.last_name,
        mentions.name_suffix,
        case when mentions.other_last_name is null then [] else [mentions.other_last_name] end as other_last_names,
        mentions.birth_number // 10000 as birth_year,
        mentions.birth_number // 100 % 100 as birth_month,
        mentions.birth_number % 100 as birth_day,
        mentions.gender,
        list_filter(
            [case when not mentions.is_work_address then home.place end, mailing.place, situs.place, mentions.parcel_place],
            lambda place: place is not null
        ) as addresses,
        case when mentions.phone is null then [] else [mentions.phone::varchar] end as phones,
        case when mentions.email is null then [] else [mentions.email] end as emails,
        mentions.employer_key as employer,
        list_filter(
            list_concat(
                string_split(mentions.identifier, '|'),
                -- The record key without the tags that a source definition adds to extra rows (such as a second phone). All issues and all
                -- rows of one source record therefore share an identifier. Records of documents may name several people, so they have none.
                [
                    case when mentions.mention_kind not in ('owner', 'grantor', 'grantee', 'other', 'business')
                        then 'source_record:' || regexp_replace(mentions.record_key, '(:[a-z0-9_]+)?(~\d+)?$', '')
                    end,
                ]
            ),
            lambda identifier: identifier <> ''
        ) as identifiers,
        list_filter(
            list_concat(
                list_transform(
                    string_split(mentions.traits, '|'),
                    lambda trait: lower(split_part(trait, ':', 1)) || ':' || upper(trim(substr(trait, instr(trait, ':') + 1)))
                ),
                [
                    case when mentions.is_work_address then 'workplace:' || mentions.address_id end,
                    'occupation:' || upper(trim(mentions.occupation)),
                ]
            ),
            lambda trait: trait <> ''
        ) as traits,
    from mentions
    left join places as home on mentions.address_id = home.address_id
    left join places as mailing on mentions.mail_address_id = mailing.address_id
    left join places as situs on mentions.situs_address_id = situs.address_id
)

select
    record_id,
    source_id,
    first_name,
    middle_name,
    last_name,
    name_suffix,
    other_last_names,
    birth_year,
    birth_month,
    birth_day,
    gender,
    addresses,
    phones,
    emails,
    employer,
    identifiers,
    traits,
    hash(
        record_id, source_id, first_name, middle_name, last_name, name_suffix, other_last_names, birth_year, birth_month, birth_day,
        gender, addresses, phones, emails, employer, identifiers, traits
    ) as content,
from records
