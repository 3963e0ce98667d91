-- A key under which a mention is compared with others, and the evidence that sharing it is.
-- grain: evidence, block_key, mention_number
-- in: link.mentions
with

mentions as (
    select * from link.mentions
),

-- Names as they are, and as they were.
named as (
    select mention_number, last_phonetic, nickname_class from mentions
    where last_phonetic is not null and nickname_class is not null
    union all
    select mention_number, other_last_phonetic, nickname_class from mentions
    where other_last_phonetic <> last_phonetic and nickname_class is not null
),

places as (
    select mention_number, home_number as place_number from mentions
    where home_number is not null
    union
    select mention_number, mail_number from mentions
    where mail_number is not null
    union
    select mention_number, work_number from mentions
    where work_number is not null
    union
    select mention_number, situs_number from mentions
    where situs_number is not null
),

buildings as (
    select mention_number, home_building_number as building_number from mentions
    where home_building_number is not null
    union
    select mention_number, mail_building_number from mentions
    where mail_building_number is not null
    union
    select mention_number, situs_building_number from mentions
    where situs_building_number is not null
),

-- How many people an area has, at two mentions each: only a name that few of them can share is looked for there.
zips as (
    select zip, count(*) / 2 as person_count from mentions
    where zip is not null
    group by zip
),

states as (
    select state, count(*) / 2 as person_count from mentions
    where state is not null
    group by state
),

everywhere as (
    select count(*) / 2 as person_count from mentions
),

keys as (
    select mention_number, 1 as evidence, identifier_number as block_key from mentions
    union all
    select mention_number, 2, record_number from mentions
    union all
    select mention_number, 4, email_number from mentions
    union all
    select mention_number, 8, phone_number from mentions
    union all
    select mention_number, 16, hash(16, birth_number, nickname_class) from mentions
    where birth_number % 100 > 0 and nickname_class is not null
    union all
    select mention_number, 16, hash(17, mentions.birth_number, named.last_phonetic)
    from named
    inner join mentions using (mention_number)
    where mentions.birth_number % 100 > 0
    union all
    -- A typing error in the last name, then one in the first.
    select mention_number, 32, hash(32, place_number, nickname_class)
    from places
    inner join mentions using (mention_number)
    where nickname_class is not null
    union all
    select mention_number, 32, hash(33, place_number, last_phonetic, left(nickname_class, 1))
    from places
    inner join named using (mention_number)
    union all
    select mention_number, 64, hash(64, building_number, last_phonetic, nickname_class)
    from buildings
    inner join named using (mention_number)
    union all
    select mention_number, 128, hash(128, parcel_key, nickname_class) from mentions
    where parcel_key is not null and nickname_class is not null
    union all
    select mention_number, 128, hash(129, mentions.parcel_key, named.last_phonetic, left(named.nickname_class, 1))
    from named
    inner join mentions using (mention_number)
    where mentions.parcel_key is not null
    union all
    select mention_number, 256, hash(256, employer_number, last_name, nickname_class) from mentions
    where employer_number is not null and nickname_class is not null
    union all
    select mention_number, 512, hash(512, mentions.zip, last_name, nickname_class)
    from mentions
    inner join zips on mentions.zip = zips.zip
    where name_share * zips.person_count < 1
    union all
    select mention_number, 1024, hash(1024, mentions.state, last_name, nickname_class)
    from mentions
    inner join states on mentions.state = states.state
    where name_share * states.person_count < 1
    union all
    select mention_number, 2048, hash(2048, last_name, nickname_class)
    from mentions
    cross join everywhere
    where name_share * everywhere.person_count < 0.25
)

select
    evidence::usmallint as evidence,
    block_key,
    mention_number,
from keys
where block_key is not null
