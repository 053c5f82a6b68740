import {
  EDITOR,
  madeStaging,
  OF,
} from '../../../engine/registry/staging/store/support/made-staging.ts'
import { openState } from '../../../engine/shared/index.ts'
import { editBatch } from './made-edits.ts'

// Edits version 1.0 of algorithm `made` without end, in the state whose path is given, and says the
// number of each edit once it is acknowledged.

const { staging } = await madeStaging(openState(process.argv[2] ?? ''))
for (let n = 1; ; n++) {
  await staging.editableVersion(EDITOR, OF, { comment: `edit ${n}` }).batch(editBatch(n))
  process.stdout.write(`${n}\n`)
}
