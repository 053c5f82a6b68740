import type { Job } from '../../shared/executor.ts'
import type { TableName } from '../datasets/define.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import { arraysOf } from '../release/arrays.ts'
import type { LoadedArrays } from '../release/loaded.ts'
import { type Joined, joinField } from './joined.ts'

interface JoinInput {
  readonly table: TableName
  readonly field: FieldPath
  readonly loaded: LoadedArrays
}

export const joinJob: Job<JoinInput, Joined> = {
  name: 'query.join',
  run: ({ table, field, loaded }) => joinField(table, field, arraysOf(loaded)),
}
