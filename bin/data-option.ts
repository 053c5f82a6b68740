import { Option } from 'commander'

/** The option of the whole program that says where its data lie. */
export function dataOption(): Option {
  return new Option('--data <dir>', 'data folder').env('CASEMILL_DATA')
}
