import {
  EDITOR,
  madeStaging,
  OF,
} from '../../../engine/registry/staging/store/support/made-staging.ts'
import { sharedState } from '../../../engine/shared-state.ts'
import { editBatch } from './made-edits.ts'

// Edits version 1.0 of algorithm `made` endlessly in the given data folder, and prints the number of each edit
// once it is acknowledged.

const { staging } = await madeStaging(sharedState({ dataFolder: process.argv[2] ?? '' }))
for (let n = 1; ; n++) {
  await staging.editableVersion(EDITOR, OF, { comment: `edit ${n}` }).batch(editBatch(n))
  // Text queued in this process is lost with it.
  await new Promise<void>((resolve) => process.stdout.write(`${n}\n`, () => resolve()))
}
