"""``nacho explore``: a page that shows how an expression is compiled and cut."""
