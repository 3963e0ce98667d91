-- What the linkage compares of a mention, as narrow as it can be.
-- grain: mention_number
-- in: normal.addresses, normal.person_mentions
with

mentions as (
    select * from normal.person_mentions
),

places as (
    select
        address_id,
        hash_of(address_id) as address_number,
        -- Without a unit, and where a unit makes no building of its own, both numbers say the same.
        building_number,
        zip,
    from normal.addresses
),

firsts as (
    select nickname_class, count(*) as first_count from mentions
    where nickname_class is not null
    group by nickname_class
),

lasts as (
    select last_name, count(*) as last_count from mentions
    group by last_name
),

counted as (
    select count(*)::double as mention_count from mentions
)

select
    mentions.mention_number,
    mentions.mention_key,
    mentions.mention_kind,
    -- One source record in all its issues; rows that a definition tags (a second phone) belong to it.
    case when mentions.mention_kind not in ('owner', 'grantor', 'grantee', 'other', 'business')
        then hash(regexp_replace(mentions.record_key, '(:[a-z0-9_]+)?(~\d+)?$', ''))
    end as record_number,
    hash_of(mentions.identifier) as identifier_number,
    mentions.first_name,
    mentions.middle_name,
    mentions.last_name,
    mentions.name_suffix,
    mentions.nickname_class,
    mentions.last_phonetic,
    mentions.other_last_name,
    mentions.other_last_phonetic,
    mentions.birth_number,
    mentions.gender,
    mentions.phone::ubigint as phone_number,
    hash_of(mentions.email) as email_number,
    case when not mentions.is_work_address then home.address_number end as home_number,
    case when not mentions.is_work_address then home.building_number end as home_building_number,
    case when mentions.is_work_address then home.address_number end as work_number,
    mailing.address_number as mail_number,
    mailing.building_number as mail_building_number,
    situs.address_number as situs_number,
    situs.building_number as situs_building_number,
    coalesce(case when not mentions.is_work_address then home.zip end, mailing.zip, mentions.zip, situs.zip) as zip,
    mentions.state,
    hash_of(mentions.county_fips || '|' || mentions.parcel_number) as parcel_key,
    hash_of(mentions.employer_key) as employer_number,
    -- Which share of all mentions a name takes if first and last names are independent.
    firsts.first_count / counted.mention_count * (lasts.last_count / counted.mention_count) as name_share,
from mentions
cross join counted
left join firsts on mentions.nickname_class = firsts.nickname_class
left join lasts on mentions.last_name = lasts.last_name
left join places as home on mentions.address_id = home.address_id
left join places as mailing on mentions.mail_address_id = mailing.address_id
left join places as situs on mentions.situs_address_id = situs.address_id
