-- A phone as the phone dictionary knows it: the number, a unit separator, the extension.
create or replace macro phone_text(phone, phone_extension) as phone || chr(31) || coalesce(phone_extension, '')
