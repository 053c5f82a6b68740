import type { MakeBytes } from '../engine/shared/index.ts'

/** Bytes of the demo's files. What makes them is loaded when one is missing in the folder. */
export function demoBytes(): MakeBytes {
  let loading: Promise<MakeBytes> | undefined
  return async (key) => {
    loading ??= import('../fixtures/demo-commons.ts').then((demo) => demo.demoBytes())
    return (await loading)(key)
  }
}
