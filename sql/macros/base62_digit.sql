-- Returns the lowest base62 digit of a number.
create or replace macro base62_digit(number) as
    substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (number % 62)::bigint + 1, 1)
