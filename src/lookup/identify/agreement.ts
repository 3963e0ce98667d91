/** The ways in which two words of names, or two whole surnames, can agree or differ. */
export const AGREEMENTS = ['same', 'nickname', 'middle', 'mistyped', 'sounds', 'initial', 'part', 'former', 'other', 'unknown'] as const // prettier-ignore

export type Agreement = (typeof AGREEMENTS)[number]
