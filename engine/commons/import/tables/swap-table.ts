import { id, name, text } from '../columns.ts'
import { RowError } from '../row-error.ts'
import { declareTable } from '../table-kind.ts'

/** A table of files that a release replaced by other files. Every row becomes part of the history. */
export const swapTable = declareTable({
  name: 'table of replaced files',
  columns: {
    format: text('Data Format'),
    oldId: id('Old File UUID'),
    oldName: name('Old File Name'),
    newId: id('New File UUID'),
    newName: name('New File Name'),
  },
  needs: ['oldId', 'newId'],
  open({ fileName, intake }) {
    const release = /DR(\d+\.\d+)/.exec(fileName)?.[1]
    return ({ oldId, oldName, newId, newName }) => {
      if (oldId === undefined || newId === undefined) {
        throw new RowError('the row names no two files')
      }
      intake.step({ id: oldId, filename: oldName, next: { id: newId, filename: newName }, release })
    }
  },
})
