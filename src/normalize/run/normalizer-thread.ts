import { serveTasks } from '../../threads.ts'
import type { Texts } from './normalizer-threads.ts'
import { NORMALIZERS, type Normalizer, type NormalizerName } from './normalizers.ts'

const normalizers = new Map<NormalizerName, Normalizer>()

serveTasks(({ name, texts }: Texts): string[] => {
  const normalizer = normalizers.get(name) ?? NORMALIZERS[name]()
  normalizers.set(name, normalizer)
  return texts.map(normalizer)
})
