import type { MakeBytes } from '../engine/shared/index.ts'

/** Returns the generator of the demo's files. Its module is loaded when a file is missing in the folder. */
export function demoBytes(): MakeBytes {
  let loading: Promise<MakeBytes> | undefined
  return async (key) => {
    loading ??= import('../fixtures/demo-commons.ts').then((demo) => demo.demoBytes())
    return (await loading)(key)
  }
}
