import { insertRows } from './insert.js'

void insertRows()
