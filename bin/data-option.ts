import { Option } from 'commander'

/** Creates the global option for the data folder. */
export function dataOption(): Option {
  return new Option('--data <dir>', 'data folder').env('CASEMILL_DATA')
}
