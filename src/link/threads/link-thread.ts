import { serveTasks } from '../../threads.ts'
import { rangesOf, type ThreadTask, type Work } from './threads.ts'

serveTasks(async (task: ThreadTask) => {
  const module = (await import(task.module)) as Record<string, Work<unknown, unknown>['run']>
  return module[task.name]!(task.input, rangesOf(task))
})
