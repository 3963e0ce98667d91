/** The work of one unit. Returns counts, which the command `platbook stage` prints. A repeated unit writes the same files. */
export type Stage = (unit: number) => Promise<Readonly<Record<string, number>>>
