/** StateCodeEnum of the interface, in its order. */
export const STATE_CODES: ReadonlySet<string> = new Set(
  (
    'AL AK AZ AR AS CA CO CT DE DC FL GA GU HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND ' +
    'MP OH OK OR PA PR RI SC SD TN TX TT UT VT VA VI WA WV WI WY'
  ).split(' '),
)
