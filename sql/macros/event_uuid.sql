-- Returns the UUID v5 of `name` in the namespace of deed events, which is itself the UUID v5 of 'platbook.deed-
-- events' in the DNS namespace.
create or replace macro event_uuid(name) as
    regexp_replace(
        substr(sha1(unhex('9d6048f5a8e85509997553348b370b60') || encode(name)), 1, 12)
        || '5'
        || substr(sha1(unhex('9d6048f5a8e85509997553348b370b60') || encode(name)), 14, 3)
        || substr('89ab', ('0x' || substr(sha1(unhex('9d6048f5a8e85509997553348b370b60') || encode(name)), 17, 1))::integer % 4 + 1, 1)
        || substr(sha1(unhex('9d6048f5a8e85509997553348b370b60') || encode(name)), 18, 15),
        '^(.{8})(.{4})(.{4})(.{4})(.{12})$',
        '\1-\2-\3-\4-\5'
    )
