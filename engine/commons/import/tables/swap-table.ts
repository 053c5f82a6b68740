import { RowError } from '../row-error.ts'
import { readByName, type TableKind } from '../table-kind.ts'
import { isUuid } from '../uuid-cell.ts'

/** Files that a release replaced by others: all of it is history. */
export const swapTable: TableKind = {
  name: 'table of replaced files',
  needs: ['Old File UUID', 'New File UUID'],
  open(table) {
    const release = /DR(\d+\.\d+)/.exec(table.fileName)?.[1]
    return readByName(table, KNOWN, (cell) => {
      const id = cell('Old File UUID')
      const next = cell('New File UUID')
      if (!id || !next || !isUuid(id) || !isUuid(next)) {
        throw new RowError('the row names no two files')
      }
      table.intake.step({
        id: id.toLowerCase(),
        filename: cell('Old File Name'),
        next: { id: next.toLowerCase(), filename: cell('New File Name') },
        release,
      })
    })
  },
}

const KNOWN = ['Data Format', 'Old File UUID', 'Old File Name', 'New File UUID', 'New File Name']
