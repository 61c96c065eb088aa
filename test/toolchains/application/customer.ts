import { Column, Key, Table } from '@isotherm/core'
import { Order } from './order.js'
import { Recorded } from './recorded.js'

@Table('Customer')
export class Customer extends Recorded {
  @Key() @Column.int64() customerId!: bigint
  @Column.string({ length: 100 }) name!: string
}

/** Makes this file and the file of the child import each other. */
export const childOfCustomer = (): typeof Order => Order
