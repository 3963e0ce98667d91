/** The ways in which two words of names, or two whole surnames, can agree or differ. */
export type Agreement =
  'same' | 'nickname' | 'middle' | 'mistyped' | 'sounds' | 'initial' | 'part' | 'former' | 'other' | 'unknown'
