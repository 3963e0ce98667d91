import { serveTasks } from '../../threads.ts'
import type { Question } from './answer-threads.ts'
import { ANSWERERS, type Answerer, type AnswererName } from './answers.ts'

const answerers = new Map<AnswererName, Answerer>()

serveTasks(({ name, texts }: Question): string[] => {
  const answerer = answerers.get(name) ?? ANSWERERS[name]()
  answerers.set(name, answerer)
  return texts.map(answerer)
})
