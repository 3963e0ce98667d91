-- Returns the text of a phone in the phone dictionary: the number, a unit separator and the extension.
create or replace macro phone_text(phone, phone_extension) as phone || chr(31) || coalesce(phone_extension, '')
