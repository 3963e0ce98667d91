import { expect, test } from 'vitest'
import { unitFailure, withoutStack } from '../../../src/cluster/spark/spark-errors.ts'

test('the standard error of a subprocess names the unit and the reason', () => {
  const message =
    'Subprocess exited with status 1. Error: platbook: no plan.json\nplatbook: failed unit 17\n.'
  expect(unitFailure(message)).toEqual({
    unit: 17,
    reason: 'its process ended with status 1: platbook: no plan.json',
  })
})

test('status 137 is explained as a kill', () => {
  expect(unitFailure('Subprocess exited with status 137. Error: platbook: failed unit 3\n.')).toEqual({
    unit: 3,
    reason:
      'its process ended with status 137, killed by SIGKILL: usually the machine had no memory left; it printed no error',
  })
})

test('a lost executor names the unit by the number of its task', () => {
  const message = [
    'Job aborted due to stage failure: Task 5 in stage 2.0 failed 4 times, most recent failure: Lost task 5.3 in stage 2.0 (TID 9): ExecutorLostFailure (executor 1 exited)',
    '\tat org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:2844)',
    'Driver stacktrace:',
  ].join('\n')
  expect(unitFailure(message)).toEqual({
    unit: 5,
    reason: 'Lost task 5.3 in stage 2.0 (TID 9): ExecutorLostFailure (executor 1 exited)',
  })
})

test('a failure of SQL has no unit, and its message has no Java stack', () => {
  const message =
    '[TABLE_OR_VIEW_NOT_FOUND] The table `t` cannot be found.\n\tat org.apache.spark.sql.X.y(X.scala:1)\n\t... 20 more'
  expect(unitFailure(message)).toBeUndefined()
  expect(withoutStack(message)).toBe('[TABLE_OR_VIEW_NOT_FOUND] The table `t` cannot be found.')
})
