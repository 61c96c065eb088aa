import { defineSchema } from '@isotherm/core'
import { Customer } from '../application/customer.js'
import { Order, UserAccessLog } from '../application/order.js'

/** As this repository compiles the application. */
export const schema = defineSchema([Customer, Order, UserAccessLog])
