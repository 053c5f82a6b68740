import { expect, test } from 'vitest'
import { collectGarbage } from '../../test/collect-garbage.ts'
import { fakeEngine } from '../../test/commons/contract/fake-engine.ts'
import { createMetrics } from './metrics.ts'

test('the metrics of a server keep its engine no longer than somebody keeps them', async () => {
  const measured = () => {
    const { engine } = fakeEngine()
    createMetrics(engine)
    return new WeakRef(engine)
  }
  const engine = measured()
  await expect
    .poll(() => {
      collectGarbage()
      return engine.deref() === undefined
    })
    .toBe(true)
})
