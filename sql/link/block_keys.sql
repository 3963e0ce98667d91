-- A key under which a mention is compared with others, and the evidence that sharing it is.
-- grain: evidence, block_key, mention_number
-- in: link.mentions
with

mentions as (
    select * from link.mentions
),

places as (
    select mention_number, last_phonetic, nickname_class, home_number as place_number from mentions
    union
    select mention_number, last_phonetic, nickname_class, mail_number from mentions
    union
    select mention_number, last_phonetic, nickname_class, work_number from mentions
    union
    select mention_number, last_phonetic, nickname_class, situs_number from mentions
),

buildings as (
    select mention_number, last_phonetic, nickname_class, home_building_number as building_number from mentions
    union
    select mention_number, last_phonetic, nickname_class, mail_building_number from mentions
    union
    select mention_number, last_phonetic, nickname_class, situs_building_number from mentions
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
    select mention_number, 16, hash(17, birth_number, last_phonetic) from mentions
    where birth_number % 100 > 0 and last_phonetic is not null
    union all
    select mention_number, 32, hash(32, place_number, last_phonetic, left(nickname_class, 1)) from places
    where place_number is not null and last_phonetic is not null and nickname_class is not null
    union all
    select mention_number, 64, hash(64, building_number, last_phonetic, nickname_class) from buildings
    where building_number is not null and last_phonetic is not null and nickname_class is not null
    union all
    select mention_number, 128, hash(128, property_number, last_phonetic, left(nickname_class, 1)) from mentions
    where property_number is not null and last_phonetic is not null and nickname_class is not null
    union all
    select mention_number, 256, hash(256, employer_number, last_name, nickname_class) from mentions
    where employer_number is not null and last_name is not null and nickname_class is not null
    union all
    select mention_number, 512, hash(512, zip, last_name, nickname_class) from mentions
    where zip is not null and last_name is not null and nickname_class is not null
    union all
    -- A former name is looked for wherever a first name could have met it.
    select mention_number, 32, hash(32, home_number, other_last_phonetic, left(nickname_class, 1)) from mentions
    where home_number is not null and other_last_phonetic <> last_phonetic and nickname_class is not null
)

select distinct
    evidence::usmallint as evidence,
    block_key,
    mention_number,
from keys
where block_key is not null
