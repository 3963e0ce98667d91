/** How two words of a name, or two whole surnames, may stand to each other. */
export const AGREEMENTS = ['same', 'nickname', 'middle', 'mistyped', 'sounds', 'initial', 'part', 'former', 'other', 'unknown'] as const // prettier-ignore

export type Agreement = (typeof AGREEMENTS)[number]
